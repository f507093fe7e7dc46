import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { checkComments, checkSubject } from './check.ts'

// Lists comments and commit subjects that break the style guide in CONTRIBUTING.md.
// Usage: main.ts [path…]; without paths, all TypeScript files and the commits since main.

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

const paths = process.argv.slice(2)
const files = git('ls-files', '--', ...(paths.length > 0 ? paths : ['.'])).filter(
  // Compiled catalogs hold texts, and no comments.
  (path) => /\.tsx?$/.test(path) && !path.includes('/locales/'),
)
const inComments = files.flatMap((path) =>
  checkComments(readFileSync(path, 'utf8')).map(({ line, problem }) => `${path}:${line}: ${problem}`),
)
const subjects = paths.length > 0 ? [] : git('log', '--no-merges', '--format=%s', 'main..HEAD')
const inSubjects = subjects.map(checkSubject).filter((problem) => problem !== null)

const findings = [...inComments, ...inSubjects.map((problem) => `commit: ${problem}`)]
console.log(findings.length === 0 ? 'No findings.' : findings.join('\n'))
process.exitCode = findings.length === 0 ? 0 : 1
