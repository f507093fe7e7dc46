import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { documents } from './written.ts'

// Also validates each example of a request against its schema.
test.each(Object.entries(documents))(
  'the OpenAPI document of %s passes the recommended rules of Redocly',
  async (name, source) => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, absoluteRef: `/${name}.json`, config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    )
  },
)

test('the linter finds a fault', async () => {
  const source = documents.v1.replace('"operationId": "oauth.token"', '"operationId": "events.list"')
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: '/v1.json', config })
  expect(problems.map(({ ruleId }) => ruleId)).toContain('operation-operationId-unique')
})
