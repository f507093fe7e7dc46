#!/usr/bin/env node
import { reportFailure } from './failure.ts'
import { createProgram } from './program.ts'

const args = process.argv.slice(2)
try {
  await createProgram().parseAsync(args, { from: 'user' })
} catch (error) {
  process.exitCode = reportFailure(error, args.includes('--json'))
}
