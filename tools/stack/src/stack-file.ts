import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answersOk } from './answers-ok.ts'
import { writePrivately } from './deployment.ts'
import type { Stack } from './stack.ts'

/** What a script needs to use a running system. Null means that this deployment does not have the part. */
export interface StackFile {
  readonly base_url: string
  readonly token_url: string
  readonly client_id: string
  /** A file with a private JWK. */
  readonly private_key_file: string
  readonly publishable_key: string
  readonly webhook: {
    readonly url: string
    readonly secrets: readonly string[]
    readonly received_url: string
  } | null
  readonly checkout_base_url: string | null
  readonly dashboard_url: string | null
  readonly staff: {
    readonly issuer: string
    readonly sign_in_url: string
    readonly people: readonly {
      readonly login: string
      readonly name: string
      readonly role: string | null
    }[]
  } | null
  readonly mock_rails: {
    readonly control_url: string
    readonly push_rail: string | null
    readonly redirect_rail: string | null
  }
  readonly database_url: string
}

const pathIn = (dataDir: string): string => join(dataDir, 'stack.json')

export const stackFileOf = (stack: Stack): StackFile => ({
  base_url: stack.baseUrl,
  token_url: stack.tokenUrl,
  client_id: stack.clientId,
  private_key_file: stack.privateKeyFile,
  publishable_key: stack.publishableKey,
  webhook: stack.webhook && {
    url: stack.webhook.url,
    secrets: stack.webhook.secrets,
    received_url: stack.webhook.receivedUrl,
  },
  checkout_base_url: stack.baseUrl,
  dashboard_url: stack.staff && stack.staff.dashboardUrl,
  staff: stack.staff && {
    issuer: stack.staff.issuer,
    sign_in_url: stack.staff.signInUrl,
    people: stack.staff.people,
  },
  mock_rails: {
    control_url: stack.mockRails.controlUrl,
    push_rail: stack.mockRails.pushRail,
    redirect_rail: stack.mockRails.redirectRail,
  },
  database_url: stack.databaseUrl,
})

export const writeStackFile = (dataDir: string, file: StackFile): Promise<void> =>
  writePrivately(pathIn(dataDir), `${JSON.stringify(file, null, 2)}\n`)

/** Synchronous, for an exit hook. */
export const removeStackFile = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true })

/** The running system of this folder. Null if none runs, even if a killed one left its file behind. */
export async function findRunningStack(dataDir: string): Promise<StackFile | null> {
  const file = await readStackFile(dataDir)
  if (file === null) return null
  const parts = [`${file.base_url}/healthz`, `${file.mock_rails.control_url}/control/clock`]
  const answers = await Promise.all(parts.map(answersOk))
  return answers.every(Boolean) ? file : null
}

async function readStackFile(dataDir: string): Promise<StackFile | null> {
  try {
    return JSON.parse(await readFile(pathIn(dataDir), 'utf8')) as StackFile
  } catch {
    return null
  }
}
