/**
 * The parts of the bench that reach for no figure: models and trials, each printed as a table or as JSON.
 */
import { costTable, countCosts } from './cost.ts'
import { hotTable, trials } from './hot.ts'
import { readPrices } from './prices.ts'
import { buildChildren } from './processes.ts'
import { measurePassages, tapTable } from './tap.ts'
import { type Outcome, runTrial } from './trial.ts'

/** What a report is told on the command line. */
export interface ReportOptions {
  readonly json?: true
  readonly prices?: string
  readonly rounds: number
}

/** The reports by name; each resolves with what to print. */
export const reports: Readonly<Record<string, (options: ReportOptions) => Promise<string>>> = {
  async cost({ json, prices: path }) {
    const prices = await readPrices(path)
    await buildChildren()
    const costs = await countCosts(prices)
    return json ? JSON.stringify({ prices, costs }, null, 2) : costTable(costs, prices)
  },
  async hot({ json }) {
    const outcomes: Outcome[] = []
    for (const trial of trials) outcomes.push(await runTrial(trial))
    return json ? JSON.stringify(outcomes, null, 2) : hotTable(outcomes)
  },
  async tap({ json, rounds, prices: path }) {
    const passages = measurePassages(rounds, await readPrices(path))
    return json ? JSON.stringify(passages, null, 2) : tapTable(passages)
  },
}
