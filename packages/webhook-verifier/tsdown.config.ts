import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/index-node.ts', 'src/testing.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  dts: true,
})
