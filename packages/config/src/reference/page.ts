import { serverFlags } from '../server-flags.ts'
import { listSettings, type Setting } from './settings.ts'

/** Generates docs/configuration.md from the schema. */
export function configurationPage(): string {
  const settings = listSettings()
  const groups = settings.filter(({ key }) => isTop(key) && settings.some((one) => isUnder(one.key, key)))
  const alone = settings.filter((one) => isTop(one.key) && !groups.includes(one))
  return [opening, table(alone), ...groups.map((group) => groupOf(group, settings)), ending].join('\n\n')
}

const isTop = (key: string): boolean => /^\w+$/.test(key)

const isUnder = (key: string, group: string): boolean =>
  key.startsWith(group) && /^[.[]/.test(key.slice(group.length))

function groupOf(group: Setting, settings: readonly Setting[]): string {
  const within = settings.filter(({ key }) => isUnder(key, group.key))
  const adapters = [...new Set(within.map(({ adapter }) => adapter))]
  const tables = adapters.map((adapter) => {
    const rows = table(within.filter((one) => one.adapter === adapter))
    return adapter === null ? rows : `### \`adapter: ${adapter}\`\n\n${rows}`
  })
  const facts = [group.description, ...needOf(group), ...sectionOf(group)]
  return [`## \`${group.key}\``, facts.join(' '), ...tables].join('\n\n')
}

/** Says what happens if the group is absent. */
const needOf = ({ isRequired, default: value }: Setting): string[] => {
  if (isRequired) return ['Required.']
  return value === null ? [] : [`Without it: ${value}.`]
}

const sectionOf = ({ section }: Setting): string[] =>
  section === null ? [] : [`Specification, section ${section}.`]

const table = (settings: readonly Setting[]): string =>
  [
    '| key | type | default | what it is |',
    '| --- | --- | --- | --- |',
    ...settings.map((setting) => `| ${cellsOf(setting).join(' | ')} |`),
  ].join('\n')

const cellsOf = (setting: Setting): string[] => [
  `\`${setting.key}\``,
  setting.type,
  setting.isRequired ? 'required' : (setting.default ?? ''),
  [setting.description, ...liveWords(setting), ...sectionOf(setting)].join(' '),
]

const liveWords = ({ liveRefusals }: Setting): string[] =>
  liveRefusals.map((refusal) => `Livemode refuses ${refusal}.`)

const opening = `<!-- Generated from packages/config by \`npx pnpm@12 configuration\`. Do not edit: change the schema. -->

# Configuration

A deployment has one file in YAML 1.2, of which JSON is a part. The api and the worker read the same file, once, at their start:

\`\`\`
node ${serverFlags.join(' ')} apps/api/start.mjs merchant-payments.yaml
node ${serverFlags.join(' ')} apps/worker/start.mjs merchant-payments.yaml
\`\`\`

Without an argument they read the file that \`MERCHANT_PAYMENTS_CONFIG\` names, or else \`merchant-payments.yaml\` in the working folder. \`--help\` lists their options. \`--port\` and \`--internal-port\` replace \`listen.port\` and the port of the internal listener, so that a second replica on the same host can use the same file.

[configuration.example.yaml](configuration.example.yaml) is a complete file to start from. [configuration.schema.json](configuration.schema.json) is the JSON Schema of the file. An editor with a YAML language server reads its address from the first line:

\`\`\`yaml
# yaml-language-server: $schema=./configuration.schema.json
\`\`\`

A key that is not listed here is refused. A process with a faulty file prints each fault on a line of its own, with the path of the setting, and exits with 78. No message quotes a value.

## Secrets

A setting of the type \`{ env: NAME }\` names a variable of the process's environment. If \`NAME\` is not set, the process reads the file that the variable \`NAME_FILE\` names, without the line break at its end. This is how secrets of containers and of systemd arrive. A variable that is set wins over its file. Names consist of letters, digits and underscores.

\`\`\`yaml
signing_key: { env: SIGNING_KEY }   # SIGNING_KEY, or the content of the file at SIGNING_KEY_FILE
\`\`\`

In livemode each secret and each key has one owner: an endpoint, a merchant, an operator of rails, or a part of the service. A file that gives one to two of them is refused, and the message names both settings. Two merchants do not share a key of \`jwks\`, and none has the key of \`signing_key\`.

Where the type says "text or \`{ env: NAME }\`", the value may also stand in the file. \`PGSSLMODE\` and the other variables of libpq fill in what \`database.url\` leaves out.

## Settings

Times have their unit in their type. "Specification" is the specification of the API.`

const ending = `## Apply a change

Nothing reloads the file. Restart the api and the worker, one replica after the other.
`
