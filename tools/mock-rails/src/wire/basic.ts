/** The user and password of an Authorization header; both are empty if it has none. */
export function decodeBasic(header: string | null): [user: string, password: string] {
  if (!header?.startsWith('Basic ')) return ['', '']
  const [user = '', password = ''] = Buffer.from(header.slice('Basic '.length), 'base64')
    .toString()
    .split(':', 2)
  return [user, password]
}
