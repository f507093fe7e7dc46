import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { clientCommand } from './commands/client.ts'
import { configCommand } from './commands/config.ts'
import { envCommand } from './commands/env.ts'
import { eventsCommand } from './commands/events.ts'
import { keysCommand } from './commands/keys.ts'
import { listenCommand } from './commands/listen.ts'
import { payCommand } from './commands/pay.ts'
import { tokenCommand } from './commands/token.ts'
import { triggerCommand } from './commands/trigger.ts'

/**
 * Subcommands have their settings from the program, so it is made before they are added. With JSON the failure's report
 * says what the parser refuses.
 */
export function createProgram({ isJson = false } = {}): Command {
  const program = new Command('merchant-payments')
    .description('Keys, registration, checks, test payments and webhooks for Merchant Payments.')
    .version(packageJson.version)
    .option('--json', 'print JSON: one object, or one a line where there are many')
    .addHelpText('after', EXIT_CODES)
  const commands = [
    keysCommand(),
    clientCommand(),
    configCommand(),
    envCommand(),
    tokenCommand(),
    payCommand(),
    triggerCommand(),
    listenCommand(),
    eventsCommand(),
  ]
  for (const command of commands) program.addCommand(command)
  throwAtErrors(program, isJson)
  return program
}

/** In place of an exit of the process, whose code would not be ours. */
function throwAtErrors(command: Command, isSilent: boolean): void {
  command.exitOverride()
  if (isSilent) command.configureOutput({ writeErr: () => undefined })
  for (const sub of command.commands) throwAtErrors(sub, isSilent)
}

const EXIT_CODES = `
Exit codes:
   0  done
   1  the outcome is not the one that was asked for: a declined payment, an event that a server refused,
      an object that is not there
   2  a wrong argument, also an address at which there is no such service
  69  the service or the server to send to does not answer, or another server answers with a page
  74  a file or the output cannot be read or written
  75  a payment whose outcome is open: do not pay again, read the intent
  77  the service refuses the client: its key, its registration or its scope
  78  a faulty configuration`
