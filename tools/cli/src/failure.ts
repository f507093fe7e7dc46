import { ConfigError } from '@merchant-payments/config'
import {
  isPaymentsError,
  OAuthError,
  type PaymentsError,
  type PaymentsErrorType,
} from '@merchant-payments/node-sdk'
import { CommanderError } from 'commander'

/** From 69 on they are those of sysexits.h. */
export const exitCodes = {
  negative: 1,
  usage: 2,
  unreachable: 69,
  io: 74,
  pending: 75,
  refused: 77,
  configuration: 78,
} as const

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What a command ends with if it cannot do what was asked. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: ExitCode
  /** What helps to mend it, a line each. */
  readonly hints: readonly string[]
  /** What a program needs to go on: members of the error with --json. */
  readonly facts: object

  constructor(message: string, exitCode: ExitCode, hints: readonly string[] = [], facts: object = {}) {
    super(message)
    this.exitCode = exitCode
    this.hints = hints
    this.facts = facts
  }
}

/** Such as ENOENT; undefined for an error that is none of the system. */
export const systemCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined

/** Names the file in an error of the system, because the system's own message can lack it. */
export async function withFile<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = systemCodeOf(error)
    throw code === undefined
      ? error
      : new Failure(`the file cannot be read or written: ${path} (${code})`, exitCodes.io)
  }
}

/** The option that gives a parameter, if its name does not say so. */
const hintsOfParam: readonly (readonly [RegExp, string])[] = [
  [/^return_url$/, 'this rail sends the payer to a page: give --return-url, to which the payer comes back'],
  [/\[msisdn\]$/, 'it is --msisdn: the payer’s number with its country code, such as +237 6 70 00 00 01'],
  [/^payment_method_data\[\w+\]$/, 'it is --currency, or --rail: a rail collects one currency'],
  [/^payment_method_(types|data)\b/, 'it is --rail: the code of a rail that the deployment enables'],
]

interface Report {
  readonly exitCode: number
  readonly message: string
  readonly hints: readonly string[]
  readonly facts?: object
}

/** Says on stderr why the command failed. Returns the exit code. */
export function reportFailure(error: unknown, isJson: boolean): number {
  // The parser has said it already, but not in JSON.
  if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) {
    return error.exitCode === 0 ? 0 : exitCodes.usage
  }
  const { exitCode, message, hints, facts } = reportOf(error)
  if (isJson) console.error(JSON.stringify({ error: { message, hints, ...facts } }))
  else console.error([message, ...hints.map((hint) => `  - ${hint}`)].join('\n'))
  return exitCode
}

function reportOf(error: unknown): Report {
  if (error instanceof Failure) return error
  if (error instanceof ConfigError) {
    const { faults } = error
    return { exitCode: exitCodes.configuration, message: error.message, hints: [], facts: { faults } }
  }
  if (isPaymentsError(error)) return reportOfCall(error)
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'a command is missing: see --help' : error.message
    return { exitCode: exitCodes.usage, message, hints: [] }
  }
  // The client throws a TypeError for a key or an address that it cannot use.
  if (error instanceof TypeError) return { exitCode: exitCodes.usage, message: error.message, hints: [] }
  if (systemCodeOf(error) !== undefined && error instanceof Error) {
    return { exitCode: exitCodes.io, message: error.message, hints: [] }
  }
  throw error
}

function reportOfCall(error: PaymentsError): Report {
  const { type, code, status, param, requestId } = error
  const named = [status, code, param, requestId].filter((one) => one !== undefined)
  return {
    exitCode: exitCodeOf(error),
    message: named.length === 0 ? error.message : `${error.message} (${named.join(', ')})`,
    hints: error instanceof OAuthError ? error.hints : hintsOf(error),
    facts: { type, code, status, param, request_id: requestId },
  }
}

function hintsOf({ type, code, status, param }: PaymentsError): readonly string[] {
  if (type === 'decode_error' || isElsewhere(status, code)) return ['is --url the address of the service?']
  const [, hint] = hintsOfParam.find(([name]) => param !== undefined && name.test(param)) ?? []
  return hint === undefined ? [] : [hint]
}

/** A 404 that is about no object: another server, or another path of the service's. */
const isElsewhere = (status: number | undefined, code: string | undefined): boolean =>
  status === 404 && code !== 'resource_missing'

const unansweredTypes: ReadonlySet<PaymentsErrorType> = new Set([
  'connection_error',
  'timeout_error',
  'rate_limit_error',
  'decode_error',
])

/** Each parameter of a call comes from an argument, so one that the service refuses is a wrong argument. */
function exitCodeOf({ type, code, status = 0 }: PaymentsError): ExitCode {
  if (code === 'invalid_request' && status === 400) return exitCodes.usage
  if (unansweredTypes.has(type) || (status >= 500 && status !== 501)) return exitCodes.unreachable
  if (status === 401 || status === 403 || type === 'oauth_error') return exitCodes.refused
  return isElsewhere(status, code) ? exitCodes.usage : exitCodes.negative
}
