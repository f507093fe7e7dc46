/** One error in the configuration. The message never quotes a value, because the file names secrets. */
export interface ConfigProblem {
  /** The setting, as the file spells it: `merchant_clients[0].webhooks[1].url`. */
  readonly path: string
  readonly message: string
}

/**
 * EX_CONFIG of sysexits.h. Spec 5.5 requires it for a retired signing key; every other refused configuration
 * uses it too.
 */
const EXIT_CONFIG = 78

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly ConfigProblem[]

  constructor(faults: readonly ConfigProblem[]) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.faults = faults
  }
}

/** @throws {ConfigError} with all messages at this path, if there are any */
export function refuseFaults(path: string, messages: readonly string[]): void {
  if (messages.length > 0) throw new ConfigError(messages.map((message) => ({ path, message })))
}

/** For a ConfigError, writes a line per fault to stderr and ends the process. Rethrows any other error. */
export function exitOnFaults(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(EXIT_CONFIG)
}
