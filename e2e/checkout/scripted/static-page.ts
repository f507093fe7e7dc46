import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../../apps/checkout-web/dist/', import.meta.url))

/** Serves the built page as a static host does, compressed and with the build's headers. */
export function sendPage(path: string, response: ServerResponse): void {
  if (!existsSync(`${dist}index.html`)) throw new Error('build the checkout page first: npx pnpm@12 build')
  const isScript = path.startsWith('/c/assets/')
  const name = isScript ? `assets/${path.slice('/c/assets/'.length)}` : 'index.html'
  const headers = isScript
    ? { 'content-type': 'text/javascript', 'cache-control': 'public, max-age=31536000, immutable' }
    : {
        'content-type': 'text/html; charset=utf-8',
        ...JSON.parse(readFileSync(`${dist}headers.json`, 'utf8')),
      }
  const content = readFileSync(`${dist}${name}.br`)
  response.writeHead(200, { ...headers, 'content-encoding': 'br' }).end(content)
}
