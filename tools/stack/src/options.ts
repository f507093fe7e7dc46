import type { SettingsPatch } from '@merchant-payments/mock-rails'
import type { Environment } from './child.ts'
import type { OnTaken, Ports, ReplicaPorts } from './ports.ts'
import type { Forwarded } from './forward.ts'
import type { ReceivedWebhook } from './receiver.ts'

export interface StackOptions {
  /** The folder for keys, configuration and data between runs. Default: a temporary folder, which `stop` removes. */
  readonly dataDir?: string | undefined
  /**
   * A database of the caller, by the URL of its owner, who may create roles. The start migrates it. Default:
   * the stack runs its own PostgreSQL.
   */
  readonly databaseUrl?: string | undefined
  readonly postgresSettings?: Record<string, string> | undefined
  /** Puts a pooler between the service and its database. Default: none. */
  readonly startPooler?: ((appUrl: string) => Promise<Pooler>) | undefined
  /** Default: a free port for each. */
  readonly ports?: Partial<Ports> | undefined
  /** Moves a part whose port another process has, and hears of it. Default: the start fails. Replicas do not move. */
  readonly onPortTaken?: OnTaken | undefined
  /** Further replicas of the api and the worker, each at its own ports. Default: none. */
  readonly replicas?: readonly ReplicaPorts[] | undefined
  /** The address of a balancer in front of the apis. Default: that of the first api. */
  readonly publicUrl?: string | undefined
  /** Where the mock rails send callbacks, if that is not the public address. */
  readonly callbackUrl?: string | undefined
  /** The client_id of the merchant. Default: demo_shop. */
  readonly clientId?: string | undefined
  /** The servers with which every replica starts. Default: those of this code. */
  readonly servers?: Servers | undefined
  /** Extra variables of each process, such as FAULT_POINT. */
  readonly env?: { readonly api?: Environment; readonly worker?: Environment } | undefined
  readonly mockRailsSettings?: SettingsPatch | undefined
  /** Default: false, in this process. */
  readonly mockRailsInOwnProcess?: boolean | undefined
  /** Runs a receiver and configures it as endpoint. Default: true. */
  readonly webhookReceiver?: boolean | undefined
  /** Lets the API serve the checkout page, which is built if necessary. Default: false. */
  readonly checkoutPage?: boolean | undefined
  /** Adds the staff's surface with its dashboard and an identity provider. Default: false. */
  readonly staff?: boolean | undefined
  /** Names the database as its own standby for reads. The api refuses it, and shows the metric. Default: false. */
  readonly isOwnStandby?: boolean | undefined
  /** Both servers send their spans there. Default: no traces. */
  readonly tracing?: { readonly endpoint: string; readonly sampleRatio: number } | undefined
  /** The receiver sends each webhook on to this address. `forwardTo` of the receiver changes it. Default: none. */
  readonly webhookUrl?: string | undefined
  readonly onForwarded?: ((forwarded: Forwarded) => void) | undefined
  readonly onWebhook?: ((webhook: ReceivedWebhook) => void) | undefined
  readonly log?: ((source: string, line: string) => void) | undefined
  readonly step?: Step | undefined
  /** Aborts the start and removes everything that it created. */
  readonly signal?: AbortSignal | undefined
}

export interface Pooler {
  /** The address of the service's database. */
  readonly url: string
  /** Whether it keeps the statements that a client prepares by name. */
  readonly keepsStatements: boolean
  readonly stop: () => Promise<void>
}

/** The programs of the api and the worker. */
export interface Servers {
  readonly api: string
  readonly worker: string
  /** The schema to which the start migrates. Default: that of this code. */
  readonly migrations?: URL | undefined
}

export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>
