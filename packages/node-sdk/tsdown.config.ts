import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/index-node.ts', 'src/fetch.ts'],
  format: ['esm', 'cjs'],
  // index.ts and fetch.ts also run without Node. Only index-node.ts imports its modules.
  platform: 'neutral',
  fixedExtension: true,
  target: 'node20',
  tsconfig: 'tsconfig.build.json',
  dts: true,
})
