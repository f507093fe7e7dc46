import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { made, madeFiles } from './made.ts'

test.each(Object.entries(madeFiles))(
  '%s matches the declarations: `npx pnpm@12 openapi` writes it again',
  (path, text) => {
    expect(readFileSync(made(path), 'utf8')).toBe(text())
  },
)

test.each(Object.keys(madeFiles))(
  '%s names no section of the specification, which merchants cannot open',
  (path) => {
    expect(readFileSync(made(path), 'utf8')).not.toMatch(/\bspec\s+(?:\*\s+)?\d/)
  },
)
