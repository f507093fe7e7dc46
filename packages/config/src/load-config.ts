import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { type CamelCased, camelCased } from './camel-case.ts'
import { deployment } from './deployment.ts'
import { ConfigError, type ConfigProblem } from './faults.ts'
import { liveFaultsOf } from './livemode.ts'
import { spelled } from './path.ts'
import { parseYaml } from './parse-yaml.ts'
import { railShapes, type RailShapes } from './rail.ts'
import type { Environment } from './secret.ts'
import { unknownRailsOf } from './statements.ts'

/**
 * A deployment's configuration, checked, with its references resolved. Only `Secret`s and key objects hold
 * secrets.
 */
export type Config<S extends RailShapes = typeof railShapes> = CamelCased<
  z.output<ReturnType<typeof deployment<S>>>
>

/**
 * Reads and checks the deployment's file.
 *
 * @throws {ConfigError} with every fault of the file, not only the first
 */
export const loadConfig = (path: string, env: Environment): Config => loadConfigOf(railShapes, path, env)

export function loadConfigOf<S extends RailShapes>(shapes: S, path: string, env: Environment): Config<S> {
  const document = parseYaml(readText(path))
  const parsed = deployment({ env }, shapes).safeParse(document, { error: messageOf })
  const faults = parsed.error?.issues.flatMap(faultsOf) ?? []
  faults.push(...unknownRailsOf(document).filter(isNewPath(faults)))
  if (livemodeOf(document)) faults.push(...liveFaultsOf(document, env).filter(isNewPath(faults)))
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)
  return camelCased(parsed.data)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new ConfigError([{ path, message: `cannot be read (${code})` }])
  }
}

/** Keeps one fault per setting: the schema's comes first. */
const isNewPath =
  (faults: readonly ConfigProblem[]) =>
  ({ path }: ConfigProblem): boolean =>
    faults.every((fault) => fault.path !== path)

const livemodeOf = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'livemode' in document && document.livemode === true

const messageOf = (issue: z.core.$ZodRawIssue) => (issue.input === undefined ? 'is required' : undefined)

function faultsOf(issue: z.core.$ZodIssue): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: spelled([...issue.path, key]), message: 'is not a known key' }))
  }
  const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message
  return [{ path: spelled(issue.path), message: message ?? 'is not a valid key' }]
}
