import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

const common = {
  format: ['esm', 'cjs'],
  fixedExtension: true,
  target: 'node20',
  sourcemap: true,
  tsconfig: 'tsconfig.build.json',
} as const

// The verifier of webhooks is bundled. For CommonJS its package would resolve to node:crypto here too.
const onWebCrypto = fileURLToPath(new URL('../webhook-verifier/src/index.ts', import.meta.url))

export default defineConfig([
  {
    ...common,
    entry: ['src/index.ts', 'src/fetch.ts', 'src/stripe.ts', 'src/testing.ts', 'src/undici.ts'],
    platform: 'neutral',
    alias: { '@merchant-payments/webhook-verifier': onWebCrypto },
    dts: true,
  },
  { ...common, entry: ['src/index-node.ts'], platform: 'node', clean: false, dts: false },
])
