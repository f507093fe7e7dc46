import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['index', 'index-node', 'testing', 'express', 'fastify', 'hono', 'next'].map(
    (name) => `src/${name}.ts`,
  ),
  // The adapters import the core by its package name, so that Node resolves its own build of it.
  deps: { neverBundle: ['@merchant-payments/webhook-verifier'] },
  format: ['esm', 'cjs'],
  target: 'es2022',
  sourcemap: true,
  tsconfig: 'tsconfig.build.json',
  dts: true,
})
