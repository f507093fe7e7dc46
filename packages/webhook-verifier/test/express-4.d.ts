// The types of Express 5 fit what the tests use.
declare module 'express-4' {
  export { default } from 'express'
}
