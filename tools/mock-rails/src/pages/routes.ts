import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** The handset: a page without outside assets. Its policy allows only its own script and style. */
export function registerPages(app: FastifyInstance): void {
  const page = readFileSync(new URL('handset.html', import.meta.url), 'utf8')
  const policy = [
    "default-src 'none'",
    "connect-src 'self'",
    'img-src data:',
    `script-src ${hashOf(page, 'script')}`,
    `style-src ${hashOf(page, 'style')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  app.get('/', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'cache-control': 'no-store',
      })
      .send(page),
  )
}

function hashOf(page: string, element: 'script' | 'style'): string {
  const [, content = ''] = page.match(new RegExp(`<${element}>([^]*?)</${element}>`)) ?? []
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
}
