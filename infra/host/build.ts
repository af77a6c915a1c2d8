/**
 * `npm run build:host`: the package for hosts into `dist/host`.
 */
import { buildHostPackage, hostPackage } from './package.ts'

await buildHostPackage('dist/host')
console.log(`dist/host  ${hostPackage}, ready for "npm pack ./dist/host"`)
