/**
 * What this project relies on in S3, as a list of checks that runs against any endpoint: the emulator here, and others by
 * name. A check that an endpoint is known to fail is skipped by its name, never loosened.
 */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { conditionChecks } from './s3-conditions.ts'
import { copyChecks } from './s3-copy.ts'
import { integrityChecks } from './s3-integrity.ts'
import { keyChecks } from './s3-keys.ts'
import { listingChecks } from './s3-listing.ts'
import { multipartChecks } from './s3-multipart.ts'
import { objectChecks } from './s3-objects.ts'
import { presignedChecks } from './s3-presigned.ts'
import type { Check, S3Target } from './s3-target.ts'
import { unsupportedChecks } from './s3-unsupported.ts'
import { versionChecks } from './s3-versions.ts'

const groups = {
  objects: objectChecks,
  integrity: integrityChecks,
  conditions: conditionChecks,
  keys: keyChecks,
  listing: listingChecks,
  copy: copyChecks,
  versions: versionChecks,
  multipart: multipartChecks,
  presigned: presignedChecks,
  unsupported: unsupportedChecks,
}

/** Runs every check against the endpoint that `open` makes ready. */
export function s3Checks(
  describeName: string,
  open: () => Promise<S3Target & { close?: () => Promise<void> }>,
  options: { skip?: string[] } = {},
): void {
  describe(describeName, () => {
    let target: Awaited<ReturnType<typeof open>>
    beforeAll(async () => {
      target = await open()
    })
    afterAll(async () => {
      target.client.destroy()
      await target.close?.()
    })
    const check: Check = (name, run) => {
      const declare = options.skip?.includes(name) ? it.skip : it
      declare(name, () => run(target))
    }
    for (const [name, declareChecks] of Object.entries(groups)) describe(name, () => declareChecks(check))
  })
}
