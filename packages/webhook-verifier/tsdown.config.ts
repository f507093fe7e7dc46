import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['index', 'index-node', 'testing', 'express', 'fastify', 'hono', 'next'].map(
    (name) => `src/${name}.ts`,
  ),
  // The adapters import the core by its name, so that Node's own build of it is found.
  deps: { neverBundle: ['@merchant-payments/webhook-verifier'] },
  format: ['esm', 'cjs'],
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  dts: true,
})
