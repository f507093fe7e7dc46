import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Declarations that the examples assume. */
const given = `
import type { PayerClient } from '@merchant-payments/payer-client'
declare const publishableKey: string
declare const clientSecret: string
declare const controller: AbortController
declare function show(text: string): void
declare function askForNumber(): Promise<string>
`

test('every example of the README compiles', async () => {
  const readme = await readFile(pathOf('../README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = '']) => code)
    // A file of its own, which runs in use-payment.test.ts.
    .filter((code) => !code.includes("from 'react'"))
  expect(blocks.length).toBe(5)
  const [react = ''] = /(?<=^```tsx\n).*?merchant-payment-form.*?(?=^```$)/ms.exec(readme) ?? []
  expect(react).not.toBe('')
  // Inside the package, so that the package's own name resolves. Git ignores the folder.
  const folder = pathOf('../.tsc/examples')
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [index, block] of blocks.entries()) {
    const client = /createPayerClient|definePaymentForm/.test(block)
      ? ''
      : 'declare const client: PayerClient\n'
    await writeFile(`${folder}/example-${index}.ts`, given + client + block)
  }
  await writeFile(`${folder}/react.tsx`, react)
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: {
      noUnusedLocals: false,
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      jsx: 'react-jsx',
    },
    include: ['*.ts', '*.tsx'],
  }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
  const complaint = await run(pathOf('../../../node_modules/.bin/tsc'), ['-p', folder]).then(
    () => undefined,
    (error: Error & { stdout: string }) => error.stdout || error.message,
  )
  expect(complaint).toBeUndefined()
})
