import { once } from 'node:events'
import { readSettings } from './settings.ts'
import { startShop } from './shop.ts'

/** The usual port. Another free one if it is in use. */
const PORT = 4020
/** The file in which `npx pnpm@12 dev` describes the running system. An argument names another file. */
const stackFile = process.argv[2] ?? new URL('../../../.data/stack.json', import.meta.url)

const settings = await readSettings(stackFile).catch(() => {
  console.error('Start the system first: npx pnpm@12 dev')
  process.exit(1)
})
const shop = await startShop(settings, PORT).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error
  return startShop(settings)
})
console.log(`The shop is open: ${shop.origin}`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await shop.stop()
