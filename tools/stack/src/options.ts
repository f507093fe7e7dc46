import type { SettingsPatch } from '@merchant-payments/mock-rails'
import type { Environment } from './child.ts'
import type { Ports } from './ports.ts'
import type { ReceivedWebhook } from './receiver.ts'

export interface StackOptions {
  /** Keeps keys, configuration and data between runs. A temporary folder, removed by `stop`, when absent. */
  readonly dataDir?: string | undefined
  /** The caller's database by its owner, who may create roles; migrated by the start. PostgreSQL of the stack's own when absent. */
  readonly databaseUrl?: string | undefined
  /** Settings of the stack's own PostgreSQL. */
  readonly postgresSettings?: Record<string, string> | undefined
  /** A free one for each that is absent. */
  readonly ports?: Partial<Ports> | undefined
  /** Extra variables of each process, such as FAULT_POINT. */
  readonly env?: { readonly api?: Environment; readonly worker?: Environment } | undefined
  readonly mockRailsSettings?: SettingsPatch | undefined
  /** Default: in this process. */
  readonly mockRailsInOwnProcess?: boolean | undefined
  /** Without it no endpoint is configured. Default: true. */
  readonly webhookReceiver?: boolean | undefined
  /** Has the API serve the checkout page, built where it is not. Default: false. */
  readonly checkoutPage?: boolean | undefined
  /** Has a staff's surface with its dashboard, and an identity provider of its own for it. Default: false. */
  readonly staff?: boolean | undefined
  readonly onWebhook?: ((webhook: ReceivedWebhook) => void) | undefined
  /** Takes every line that a process writes. */
  readonly log?: ((source: string, line: string) => void) | undefined
  /** Wraps each step of the start, to show it. */
  readonly step?: Step | undefined
  /** Gives the start up; nothing is left of it. */
  readonly signal?: AbortSignal | undefined
}

export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>
