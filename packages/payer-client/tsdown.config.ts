import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  sourcemap: true,
  tsconfig: 'tsconfig.build.json',
  dts: true,
})
