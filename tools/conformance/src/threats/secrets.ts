import { api, configTest } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const secrets: Asset = {
  title: 'Secrets and what is written down',
  threats: [
    threat(
      'whoever reads the log',
      'Assertions, tokens, codes or payers’ data are found there.',
      'Lines are made of named fields; an error is logged by name, code and place.',
      api('oauth/token', 'neither an assertion nor a stranger’s text is ever logged'),
      api('dash/sign-in', 'no secret, code, token or cookie of all this is in a log line'),
      {
        file: 'packages/telemetry/src/log/log.test.ts',
        name: 'never the values that message or fields quote',
      },
    ),
    threat(
      'whoever deploys',
      'A set-up for play money, or one that others can read, goes live.',
      'Livemode refuses each such setting at boot, by name (one table, `packages/config/src/livemode.ts`).',
      configTest('livemode', 'every rule of the table is tried here'),
      configTest('livemode', 'with status 78 and a line that names the setting'),
    ),
    threat(
      'a library of the reference page',
      'Its script acts for staff or payers on the same origin.',
      'The page is sandboxed without an origin, runs scripts by their hashes, and is off in livemode unless configured.',
      api('reference', 'has not the origin of /dash and /c: no cookie, no storage, no other page'),
      api('reference', 'runs its own scripts alone, each of those that it holds by its hash'),
    ),
    threat(
      'whoever causes an error',
      'The answer tells of hosts, tables or code.',
      'A bug is one answer; what the framework complains of is said in words of ours.',
      api('http/errors', 'a bug tells nothing of itself, and the key is released'),
      api('fuzz/fuzz', 'or says what is behind it'),
    ),
  ],
}
