#!/usr/bin/env node
import { reportFailure } from './failure.ts'
import { createProgram } from './program.ts'

const args = process.argv.slice(2)
const isJson = args.includes('--json')
try {
  await createProgram({ isJson }).parseAsync(args, { from: 'user' })
} catch (error) {
  process.exitCode = reportFailure(error, isJson)
}
