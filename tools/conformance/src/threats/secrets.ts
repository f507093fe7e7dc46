import { api, configTest } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const secrets: Asset = {
  title: 'Secrets and what is written down',
  threats: [
    threat(
      'whoever reads the log',
      'Assertions, tokens, codes or payers’ data are found there.',
      'Lines are made of named fields; an error is logged by name, code and place.',
      api('oauth/token', 'no log line has an assertion or an unknown client’s text'),
      api('dash/sign-in', 'no log line has a secret, code, token or cookie'),
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
      api('reference', 'has another origin than /dash and /c: no cookie, storage or other page'),
      api('reference', 'runs only its own scripts, each by its hash'),
    ),
    threat(
      'whoever causes an error',
      'The answer tells of hosts, tables or code.',
      'A bug is one answer; what the framework complains of is said in words of ours.',
      api('http/errors', 'a bug reveals nothing, and the key is released'),
      api('fuzz/fuzz', 'no answer is an internal error, lacks the envelope, or reveals internals'),
    ),
  ],
}
