/** Public names of the transcript readers. */

export { readTranscriptFile } from "./read-file.ts";
export { detectSource, readTranscript } from "./read-transcript.ts";
export {
  type ReadOptions,
  type RecordCounts,
  type RecordedCall,
  type RecordedCompaction,
  type RecordedConversation,
  type Segment,
  TRANSCRIPT_SOURCES,
  type Transcript,
  type TranscriptSource,
} from "./transcript.ts";
