import { createHash } from 'node:crypto'
import { hostFiles } from '@merchant-payments/page-build'
import type { Plugin, Rolldown } from 'vite'
import { buildStarter } from './build-starter.ts'

const STARTER_TAG = /\s*<script type="module" src="\/src\/starter\.ts"><\/script>/

/**
 * Makes the built page fast on a slow network: inlines the starter in the document, and preloads the main script. Writes
 * what a host needs to serve the page.
 */
export function checkoutShell(target: string[]): Plugin {
  let base = '/'
  return {
    name: 'checkout-shell',
    apply: 'build',
    enforce: 'post',
    configResolved: (config) => {
      base = config.base
    },
    transformIndexHtml: { order: 'pre', handler: (html) => html.replace(STARTER_TAG, '') },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['index.html']
        if (page?.type !== 'asset') return this.error('the build has no index.html')
        const main = base + mainScript(bundle)
        const starter = await buildStarter(main, target)
        const html = withScripts(String(page.source), main, starter)
        page.source = html
        // One inline script and one inline style, by their hashes.
        const policy = {
          scripts: `'self' ${sourceOf(starter)}`,
          styles: sourceOf(stylesIn(html)),
          referrer: 'no-referrer',
        } as const
        for (const [fileName, source] of hostFiles(policy, [...compressible(bundle)])) {
          this.emitFile({ type: 'asset', fileName, source })
        }
        return undefined
      },
    },
  }
}

type Bundle = Rolldown.OutputBundle

function stylesIn(html: string): string {
  const [, styles] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  if (styles === undefined) throw new Error('the document has no styles')
  return styles
}

/** Preloads the main script at low priority, so that the session's answer does not queue behind it. */
const withScripts = (html: string, main: string, starter: string): string =>
  html.replace(
    '<style>',
    () =>
      `<link rel="modulepreload" crossorigin fetchpriority="low" href="${main}">\n` +
      `    <script>${starter}</script>\n    <style>`,
  )

function mainScript(bundle: Bundle): string {
  const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'main')
  if (main === undefined) throw new Error('the build has no main script')
  return main.fileName
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function* compressible(bundle: Bundle): Generator<[string, string | Uint8Array]> {
  for (const file of Object.values(bundle)) {
    if (file.type === 'chunk') yield [file.fileName, file.code]
    else if (file.fileName === 'index.html') yield [file.fileName, file.source]
  }
}
