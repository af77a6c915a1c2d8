/**
 * The local signing key: plays the host's part on a developer's machine. Made once for each data folder and kept there.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'

/** The private key of the folder, made if there is none. */
export async function openSigningKey(dir: string): Promise<JWK> {
  const path = join(dir, 'signing-key.json')
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JWK
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const key = { ...jwk, alg: 'EdDSA', use: 'sig', kid: await calculateJwkThumbprint(jwk) }
  await writeFile(path, JSON.stringify(key), { mode: 0o600 })
  return key
}

/** The public half, as the service is given it. */
export function publicJwks({ d: _private, ...publicKey }: JWK): string {
  return JSON.stringify({ keys: [publicKey] })
}
