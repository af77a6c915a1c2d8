/**
 * Whose tokens are believed: the issuer, the audience, and the host's public keys, inline or by URL. Public keys are no
 * secret, so they are plain configuration.
 */
import { present, required } from './stage.ts'

const keys = present('HOST_JWKS', 'HOST_JWKS_URL')
if (Object.keys(keys).length !== 1)
  throw new Error('Set exactly one of HOST_JWKS and HOST_JWKS_URL before deploying')

/** The part of the resolver's environment that decides about tokens. */
export const auth = {
  TOKEN_ISSUER: required('TOKEN_ISSUER'),
  TOKEN_AUDIENCE: required('TOKEN_AUDIENCE'),
  ...present('TOKEN_ALGORITHMS'),
  ...keys,
}
