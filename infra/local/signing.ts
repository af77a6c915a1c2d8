/**
 * The local signing key: plays the host's part on a developer's machine. Made once for each data folder and kept there.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import * as z from 'zod'
import { writeWhole } from './whole.ts'

const PrivateKey = z.looseObject({ kty: z.literal('OKP'), alg: z.literal('EdDSA'), d: z.string() })

/** The private key of the folder, made if there is none. Throws when what is there is no such key. */
export async function openSigningKey(dir: string): Promise<JWK> {
  const path = join(dir, 'signing-key.json')
  try {
    return await parseKey(await readFile(path, 'utf8'), path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const key = { ...jwk, alg: 'EdDSA', use: 'sig', kid: await calculateJwkThumbprint(jwk) }
  await writeWhole(path, JSON.stringify(key))
  return key
}

async function parseKey(text: string, path: string): Promise<JWK> {
  try {
    const key: JWK = PrivateKey.parse(JSON.parse(text))
    await importJWK(key)
    return key
  } catch (cause) {
    throw new Error(`${path} holds no signing key: delete it, and the next start makes a new one.`, { cause })
  }
}

/** The public half, as the service is given it. */
export function publicJwks({ d: _private, ...publicKey }: JWK): string {
  return JSON.stringify({ keys: [publicKey] })
}
