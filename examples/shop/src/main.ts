import { once } from 'node:events'
import { readSettings } from './settings.ts'
import { startShop } from './shop.ts'

const PORT = 4020
/** The file in which `pnpm dev` describes the running system. An argument names another file. */
const stackFile = process.argv[2] ?? new URL('../../../.data/stack.json', import.meta.url)

const settings = await readSettings(stackFile).catch(() => {
  console.error('Start the system first: npx pnpm@12 dev')
  process.exit(1)
})
const shop = await startShop(settings, PORT)
console.log(`The shop is open: ${shop.origin}`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await shop.stop()
