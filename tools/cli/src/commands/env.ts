import { Command } from 'commander'
import { readDev } from '../connection.ts'
import { envLines } from '../env-lines.ts'
import { outputOf } from '../output.ts'

const DEV_FOLDER = '.data'

export const envCommand = (): Command =>
  new Command('env')
    .description('Prints the settings of the development system’s merchant, as a .env file.')
    .option('--dev <folder>', 'the folder of its data', DEV_FOLDER)
    .action(printEnv)

async function printEnv({ dev }: { dev: string }, command: Command): Promise<void> {
  const variables = await readDev(dev)
  await outputOf(command).print(variables, envLines(variables))
}
