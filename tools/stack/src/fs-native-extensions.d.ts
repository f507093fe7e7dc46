declare module 'fs-native-extensions' {
  /** Locks the whole file, which closing it or the end of the process unlocks. False where another holds it. */
  export function tryLock(fileDescriptor: number): boolean
}
