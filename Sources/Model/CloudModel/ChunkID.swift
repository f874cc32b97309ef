/// The name of a chunk: the digest of its plain bytes.
package typealias ChunkID = Digest
