/** Says what is going on where it takes more than a second. */
export async function progress<T>(what: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.error(`${what} …`), 1000);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
