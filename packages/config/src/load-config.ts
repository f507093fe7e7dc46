import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import type { z } from 'zod'
import { type CamelCased, camelCased } from './camel-case.ts'
import { deployment } from './deployment.ts'
import { ConfigError, type Fault } from './faults.ts'
import { railShapes, type RailShapes } from './rail.ts'
import type { Environment } from './secret.ts'

/** A deployment's configuration: checked, its references resolved. Only `Secret`s and key objects hold secrets. */
export type Config<S extends RailShapes = typeof railShapes> = CamelCased<
  z.output<ReturnType<typeof deployment<S>>>
>

/**
 * Reads the deployment's file.
 *
 * @throws {ConfigError} with every fault of the file, not the first
 */
export const loadConfig = (path: string, env: Environment): Config => loadConfigOf(railShapes, path, env)

/** The same, of a deployment whose rails are of these adapters. */
export function loadConfigOf<S extends RailShapes>(shapes: S, path: string, env: Environment): Config<S> {
  const document = parseYaml(readText(path))
  const schema = deployment({ env, livemode: livemodeOf(document) }, shapes)
  const parsed = schema.safeParse(document, { error: messageOf })
  if (!parsed.success) throw new ConfigError(parsed.error.issues.flatMap(faultsOf))
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

// The parser's own messages quote the file, hence only its code and the place are taken from them.
function parseYaml(text: string): unknown {
  const document = parseDocument(text)
  const faults = [...document.errors, ...document.warnings].map(({ code, linePos }) => ({
    path: linePos === undefined ? 'the file' : `line ${linePos[0].line}, column ${linePos[0].col}`,
    message: `is not good YAML (${code})`,
  }))
  if (faults.length > 0) throw new ConfigError(faults)
  try {
    return document.toJS()
  } catch {
    throw new ConfigError([
      { path: 'the file', message: 'has an alias without an anchor, or too many aliases' },
    ])
  }
}

// Known before the rest is checked, because the rules of single fields depend on it.
const livemodeOf = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'livemode' in document && document.livemode === true

const messageOf = (issue: z.core.$ZodRawIssue) => (issue.input === undefined ? 'is required' : undefined)

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: 'is not a known key' }))
  }
  const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message
  return [{ path: pathOf(issue.path), message: message ?? 'is not a good key' }]
}

const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1) || 'the file'
