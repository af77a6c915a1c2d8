/**
 * The plans of the stages, made once each, and short ways to look into them.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plan, Resource } from './plan.ts'

const settings = {
  TOKEN_ISSUER: 'https://host.example',
  TOKEN_AUDIENCE: 'file-resolver',
  HOST_JWKS_URL: 'https://host.example/jwks.json',
}

const plans = new Map<string, Plan>()

/** The plan of a stage as it is planned with the settings above. */
export function planOf(stage: string): Plan {
  const plan = plans.get(stage) ?? planWith(stage, {})
  plans.set(stage, plan)
  return plan
}

/** Plans a stage as somebody would who has set these variables as well. */
export function planWith(stage: string, overrides: Record<string, string>): Plan {
  const dir = mkdtempSync(join(tmpdir(), 'plan-'))
  const file = join(dir, 'plan.json')
  try {
    execFileSync(process.execPath, ['--import', 'tsx', 'test/sst/plan.ts', stage, file], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, ...overrides },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: 90_000,
    })
    return JSON.parse(readFileSync(file, 'utf8'))
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** The inputs of the one resource of this name and kind. */
// biome-ignore lint/suspicious/noExplicitAny: a resource of any shape, asserted on literally
export function inputsOf(plan: Plan, kind: string, name: string): any {
  return resourceOf(plan, kind, name).inputs
}

/** The one resource of this name and kind (the last word of its type). */
export function resourceOf(plan: Plan, kind: string, name: string): Resource {
  const found = ofKind(plan, kind).filter((resource) => resource.name === name)
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} ${kind} named ${name}`)
  return found[0]
}

/** All resources of a kind at AWS. */
export function ofKind(plan: Plan, kind: string): Resource[] {
  return plan.resources.filter(({ type }) => type.startsWith('aws:') && type.endsWith(`:${kind}`))
}

/** What a policy allows: each action with the resource it is allowed on, in order. */
export function allowed(policy: string): string[] {
  const { Statement } = JSON.parse(policy)
  return Statement.flatMap(({ Effect, Action, Resource, Condition }: Record<string, string[]>) =>
    [Action]
      .flat()
      .flatMap((action) =>
        [Resource]
          .flat()
          .map((on) => [Effect, action, on, ...(Condition ? [JSON.stringify(Condition)] : [])].join(' ')),
      ),
  ).sort()
}

/** The inline policy of a function's role. */
export function policyOf(plan: Plan, name: string): string {
  const { inlinePolicies, managedPolicyArns } = inputsOf(plan, 'Role', `${name}Role`)
  if (inlinePolicies.length !== 1 || managedPolicyArns?.length > 0)
    throw new Error(`${name} has other policies`)
  return inlinePolicies[0].policy
}
