import { fileURLToPath } from 'node:url'
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite'
import { plainImports } from './plain-imports.ts'

const STARTER = fileURLToPath(new URL('../src/starter.ts', import.meta.url))

/**
 * Builds the starter as one self-contained script. It shares no chunk with the main script, which it imports
 * from `mainAddress`.
 */
export async function buildStarter(mainAddress: string, target: string[]): Promise<string> {
  const result = await build(configOf(mainAddress, target))
  const [output] = [result].flat() as Rolldown.RolldownOutput[]
  const [chunk, ...others] = output?.output ?? []
  if (chunk === undefined || others.length > 0) throw new Error('the starter is more than one file')
  const code = chunk.code.trim()
  if (/<\/script|<!--/i.test(code)) throw new Error('the starter would end the element that it stands in')
  return code
}

const configOf = (mainAddress: string, target: string[]): InlineConfig => ({
  configFile: false,
  logLevel: 'error',
  plugins: [plainImports(), mainAt(mainAddress)],
  build: {
    target,
    write: false,
    modulePreload: false,
    // The output is not a module, because the browser runs a module only after it has parsed the document.
    rolldownOptions: { input: STARTER, output: { format: 'iife' } },
  },
})

const mainAt = (address: string): Plugin => ({
  name: 'main-at',
  enforce: 'pre',
  resolveId: (source) => (source === './main.tsx' ? { id: address, external: 'absolute' } : undefined),
})
