/**
 * What a stage is: how carefully it is kept, and what whoever deploys it has set, in the environment or `.env.<stage>`.
 */

/** Real users' files. */
export const isProduction = $app.stage === 'production'

/** Stages that stay: watched, and protected from deletion. All others are somebody's for a while. */
export const isPermanent = isProduction || $app.stage === 'staging'

/** A setting of the deployment. Throws when it is missing. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name} in the environment or in .env.${$app.stage} before deploying`)
  return value
}

/** The settings among these that are set. */
export function present(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}
