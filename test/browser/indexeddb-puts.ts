/** Calls back when this realm queues its nth `put`. Returns a function that stops counting. */
export function onPut(nth: number, callback: (request: IDBRequest) => void): () => void {
  const native = IDBObjectStore.prototype.put
  let puts = 0
  IDBObjectStore.prototype.put = function (...given) {
    const request = native.apply(this, given)
    if (++puts === nth) callback(request)
    return request
  }
  return () => {
    IDBObjectStore.prototype.put = native
  }
}
