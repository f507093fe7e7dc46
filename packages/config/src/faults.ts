/** One thing that is wrong with the configuration. Its message never holds a value: the file names secrets. */
export interface Fault {
  /** Where, in the spelling of the file: `merchant_clients[0].webhooks[1].url`. */
  readonly path: string
  readonly message: string
}

/** sysexits.h: EX_CONFIG. Spec 5.5 names it for a signing key that was retired; every other refusal takes it too. */
const EXIT_CONFIG = 78

/** A configuration that the service will not run with. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.faults = faults
  }
}

/** @throws {ConfigError} where there is a fault in what stands at the path */
export function refuseFaults(path: string, messages: readonly string[]): void {
  if (messages.length > 0) throw new ConfigError(messages.map((message) => ({ path, message })))
}

/** Ends the process for a refused configuration, after a line on stderr for each fault. Throws any other error on. */
export function exitOnFaults(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(EXIT_CONFIG)
}
