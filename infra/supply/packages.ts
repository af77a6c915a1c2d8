/**
 * The packages of the lock file, and what each may be accused of: a source that is not the registry, no checksum, an
 * install script that nobody refused, a licence that has not been accepted.
 */
import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
})

const Manifest = z.looseObject({
  license: z.string().optional(),
  allowScripts: z.record(z.string(), z.boolean()).optional(),
})

/** One package as it is locked. */
export interface Locked {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Needed to build or test only, and in no bundle. */
  readonly isDev: boolean
  readonly problems: readonly string[]
}

/** Where packages without an address of their own come from, too. */
const registry = 'https://registry.npmjs.org/'

/** Licences that ask for no more than to be named. */
const accepted =
  /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|CC0-1\.0|CC-BY-[34]\.0|BlueOak-1\.0\.0|Python-2\.0|Unlicense|MIT-0|OFL-1\.1|Zlib)( (OR|AND) .*)?\)?$/

/** Tools that are run and never linked to or shipped, whose licences ask more of those who change them. */
const acceptedTools = /^(MPL-2\.0|\(MPL-2\.0 OR .*\))$/

/** All packages that `npm ci` installs in `root`, in order of their names. */
export function lockedPackages(root: string): Locked[] {
  const { allowScripts = {} } = Manifest.parse(readJson(`${root}/package.json`))
  const entries = Object.entries(Lock.parse(readJson(`${root}/package-lock.json`)).packages)
  return entries
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .map(([path, { version = '', resolved, integrity, license, dev = false, hasInstallScript }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const licence = license ?? installedLicence(`${root}/${path}/package.json`)
      const problems = [
        (resolved ?? registry).startsWith(registry) ? undefined : 'not from the registry',
        integrity?.startsWith('sha512-') ? undefined : 'without a SHA-512 checksum',
        hasInstallScript && allowScripts[name] !== false
          ? 'has an install script that is not refused'
          : undefined,
        accepted.test(licence) || (dev && acceptedTools.test(licence))
          ? undefined
          : `the licence ${licence} is not accepted`,
      ]
      return { name, version, licence, isDev: dev, problems: problems.filter((each) => each !== undefined) }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function installedLicence(path: string): string {
  return (existsSync(path) && Manifest.parse(readJson(path)).license) || 'unknown'
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
