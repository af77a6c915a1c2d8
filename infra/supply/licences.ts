/**
 * `npm run licences`: every package with its licence, those that are shipped first, and what is wrong with any.
 */
import { lockedPackages } from './packages.ts'

const packages = lockedPackages(process.cwd())

for (const isDev of [false, true]) {
  const group = packages.filter((each) => each.isDev === isDev)
  const counts = new Map<string, number>()
  for (const { licence } of group) counts.set(licence, (counts.get(licence) ?? 0) + 1)
  const summary = [...counts].sort((a, b) => b[1] - a[1]).map(([licence, count]) => `${licence} ${count}`)
  console.log(
    `\n${isDev ? 'To build and test' : 'Shipped'}: ${group.length} packages (${summary.join(', ')})`,
  )
  for (const { name, version, licence } of group) console.log(`  ${name} ${version}  ${licence}`)
}

const wrong = packages.flatMap(({ name, version, problems }) =>
  problems.map((each) => `${name} ${version}: ${each}`),
)
for (const line of wrong) console.error(line)
process.exitCode = wrong.length > 0 ? 1 : 0
