import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundleServers } from '@merchant-payments/testing/bundled-servers'
import { BUNDLED_SERVERS } from '@merchant-payments/testing/server-program'
import { findBrowser } from './find-browser.ts'
import { thisMachine } from './machine.ts'

// Searched once, before the workers start, because the search may install a browser.
const browser = await findBrowser(thisMachine)
// As in vitest.config.ts, for the processes that the stories start.
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/node-compile', import.meta.url))
const runner = spawn('node_modules/.bin/playwright', ['test', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: {
    NODE_COMPILE_CACHE: compileCache,
    ...process.env,
    CHROMIUM_PATH: browser,
    [BUNDLED_SERVERS]: await bundleServers(),
  },
  stdio: 'inherit',
})
const [code] = await once(runner, 'close')
process.exit(code ?? 1)
