import { buildChildren } from './processes.ts'
import { benchReads } from './read.ts'
import { table } from './report.ts'
await buildChildren()
console.log(table(await benchReads(Number(process.argv[2] ?? 9))))
