import { parseEnv } from 'node:util'
import { loadConfig } from '@merchant-payments/config'
import { configSchema, findSettings, listSettings, type Setting } from '@merchant-payments/config/reference'
import { Command } from 'commander'
import { readText } from '../connection.ts'
import { exitCodes, Failure } from '../failure.ts'
import { outputOf, writeLine } from '../output.ts'

const SUGGESTED_MAX = 8

export const configCommand = (): Command =>
  new Command('config')
    .description('The configuration of a deployment.')
    .addCommand(
      new Command('check')
        .description('Prints every fault of a file at once. It opens no database and no port.')
        .argument('<file>', 'the configuration')
        .option(
          '--env-file <file>',
          'reads the variables that the file names from here; those of the shell win',
        )
        .action(checkConfig),
    )
    .addCommand(
      new Command('schema')
        .description('Prints the JSON Schema of the configuration, for editors.')
        .action(() => writeLine(JSON.stringify(configSchema(), null, 2))),
    )
    .addCommand(
      new Command('explain')
        .description('Describes a setting, or lists all of them.')
        .argument('[key]', 'such as database.pool_size or rails.mtn_momo_cm.base_url')
        .action(explainSettings),
    )

async function checkConfig(file: string, { envFile }: { envFile?: string }, command: Command): Promise<void> {
  const fromFile = envFile === undefined ? {} : parseEnv(await readText(envFile, 'the env file'))
  // A refusal has every fault. The failure's report prints them.
  loadConfig(file, { ...fromFile, ...process.env })
  await outputOf(command).print({ file, faults: [] }, `${file} has no faults.`)
}

async function explainSettings(key: string | undefined, _flags: object, command: Command): Promise<void> {
  const found = key === undefined ? listSettings() : findSettings(key)
  if (found.length === 0)
    throw new Failure(`there is no setting ${key}`, exitCodes.usage, similarTo(key ?? ''))
  const lines = key === undefined ? found.map((one) => one.key) : found.map(explain)
  await outputOf(command).print({ settings: found }, [...new Set(lines)])
}

function similarTo(key: string): string[] {
  const last = key.split('.').at(-1) ?? ''
  const keys = listSettings().map((setting) => setting.key)
  return [...new Set(keys.filter((one) => one.includes(last)))].slice(0, SUGGESTED_MAX)
}

function explain(setting: Setting): string {
  const facts = [
    ['type', setting.type],
    ['default', setting.isRequired ? 'none: required' : (setting.default ?? 'that of its settings')],
    ['adapter', setting.adapter],
    ['livemode', setting.liveRefusals.map((refusal) => `refuses ${refusal}`).join('; ')],
    ['specification', setting.section === null ? '' : `section ${setting.section}`],
  ].filter(([, value]) => value !== null && value !== '')
  return [
    setting.key,
    `  ${setting.description}`,
    ...facts.map(([name, value]) => `  ${name}: ${String(value).replaceAll('`', '')}`),
  ].join('\n')
}
