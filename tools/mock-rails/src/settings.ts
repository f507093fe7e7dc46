import { z } from 'zod'

const MAX_DELAY_MS = 24 * 60 * 60 * 1000
const delayMs = z.number().int().min(0).max(MAX_DELAY_MS)
const keys = z.array(z.string().min(1)).min(1).max(10)

const mtnSettings = z.strictObject({
  apiUser: z.uuidv4(),
  apiKey: z.string().min(1),
  /** MTN issues a primary and a secondary key per product; both are valid. */
  collectionSubscriptionKeys: keys,
  disbursementSubscriptionKeys: keys,
  targetEnvironment: z.string().min(1),
  currency: z.string().length(3),
  /** The required host of X-Callback-Url, or null to accept any. */
  providerCallbackHost: z.string().min(1).nullable(),
  tokenTtlSec: z.number().int().min(1).max(86_400),
  /** The name of the collection account, which MTN shows in each prompt. */
  payeeName: z.string().min(1).nullable(),
  /** The token endpoint answers 400 to a request with a body, as MTN documents. */
  strictTokenBody: z.boolean(),
  promptTimeoutMs: delayMs,
  /** Time until a number without a scenario approves, or a failing one fails. */
  autoApproveAfterMs: delayMs,
  /** Scenario 453: time that ONGOING stays pending. */
  ongoingAfterMs: delayMs,
  /** Scenario 480: time from the failure to the success. */
  lateSuccessAfterMs: delayMs,
  /**
   * Where PAYER_NOT_FOUND and similar codes appear: as the reason of a FAILED status, or in the answer to the
   * submit.
   */
  refusalsAt: z.enum(['status', 'submit']),
  reasonShape: z.enum(['string', 'object']),
  callbackMethod: z.enum(['PUT', 'POST']),
  callbacks: z.enum(['on', 'off', 'duplicate', 'garbage', 'wrong_method', 'forged_success']),
})

const MAX_TOKEN_TTL_SEC = 90 * 24 * 60 * 60

const orangeSettings = z.strictObject({
  clientId: z.string().regex(/^[^:]+$/),
  clientSecret: z.string().regex(/^[^:]+$/),
  merchantKey: z.string().min(1),
  tokenTtlSec: z.number().int().min(1).max(MAX_TOKEN_TTL_SEC),
  /** Accepts only https URLs on a public host name, as Orange does. False admits a development machine. */
  strictUrls: z.boolean(),
  validityMs: delayMs,
  /** Time from the submit to the payer's confirmation, if the amount selects the scenario. */
  payerActsAfterMs: delayMs,
  decidesAfterMs: delayMs,
  /** Scenario 453: time that ONGOING stays PENDING. */
  ongoingAfterMs: delayMs,
  /** Scenarios 492 and 493: time from the failure to the success. */
  lateSuccessAfterMs: delayMs,
  notifications: z.enum(['on', 'off', 'duplicate', 'garbage', 'forged_success']),
})

export type MtnSettings = z.infer<typeof mtnSettings>
type OrangeSettings = z.infer<typeof orangeSettings>
export type Settings = { readonly mtn: MtnSettings; readonly orange: OrangeSettings }

export type RailName = keyof Settings

export const settingsPatchSchema = z.strictObject({
  mtn: mtnSettings.partial().optional(),
  orange: orangeSettings.partial().optional(),
})
export type SettingsPatch = z.input<typeof settingsPatchSchema>

export const DEFAULT_SETTINGS: Settings = {
  mtn: {
    apiUser: '6f0c1b52-3a5e-4a7d-9d0e-2b8c4f1e7a90',
    apiKey: 'mock-mtn-api-key',
    collectionSubscriptionKeys: ['mock-collection-primary', 'mock-collection-secondary'],
    disbursementSubscriptionKeys: ['mock-disbursement-primary', 'mock-disbursement-secondary'],
    targetEnvironment: 'mtncameroon',
    currency: 'XAF',
    providerCallbackHost: null,
    tokenTtlSec: 3_600,
    payeeName: null,
    strictTokenBody: true,
    promptTimeoutMs: 5 * 60 * 1000,
    autoApproveAfterMs: 1_500,
    ongoingAfterMs: 30_000,
    lateSuccessAfterMs: 20_000,
    refusalsAt: 'status',
    reasonShape: 'string',
    callbackMethod: 'PUT',
    callbacks: 'on',
  },
  orange: {
    clientId: 'mock-orange-client-id',
    clientSecret: 'mock-orange-client-secret',
    merchantKey: 'mock-orange-merchant-key',
    tokenTtlSec: MAX_TOKEN_TTL_SEC,
    strictUrls: false,
    validityMs: 10 * 60 * 1000,
    payerActsAfterMs: 1_500,
    decidesAfterMs: 1_500,
    ongoingAfterMs: 30_000,
    lateSuccessAfterMs: 20_000,
    notifications: 'on',
  },
}

export type SettingsStore = {
  readonly mtn: () => MtnSettings
  readonly orange: () => OrangeSettings
  readonly view: () => Settings
  readonly patch: (patch: SettingsPatch) => void
  readonly reset: () => void
}

/** The current settings. They change while the mock runs, so readers get them at each use. */
export function createSettings(initial: SettingsPatch): SettingsStore {
  const merge = (base: Settings, patch: SettingsPatch): Settings => {
    const checked = settingsPatchSchema.parse(patch)
    return {
      mtn: mtnSettings.parse({ ...base.mtn, ...checked.mtn }),
      orange: orangeSettings.parse({ ...base.orange, ...checked.orange }),
    }
  }
  const atStart = merge(DEFAULT_SETTINGS, initial)
  let current = atStart
  return {
    mtn: () => current.mtn,
    orange: () => current.orange,
    view: () => current,
    patch: (patch) => {
      current = merge(current, patch)
    },
    reset: () => {
      current = atStart
    },
  }
}
