import { Client, type QueryResultRow } from 'pg'

/** Opens a connection, which the caller ends. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

/** Runs work on a connection that ends with it. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export const runStatement = <Row extends QueryResultRow>(url: string, statement: string): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(statement)).rows)
