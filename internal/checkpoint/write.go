package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
)

// Snapshot is a state to be stored: a header, and a function that fills data with
// a section's bytes from byte at on. It is called with whole elements, in order.
type Snapshot struct {
	Header
	Read func(s Section, at int64, data []byte) error
}

// Size returns how many bytes Write will write.
func (s *Snapshot) Size() (int64, error) {
	_, total, err := s.head()
	return total, err
}

// head returns the prefix with the header, and the length of the whole file.
func (s *Snapshot) head() ([]byte, int64, error) {
	text, err := json.Marshal(s.Header)
	if err != nil {
		return nil, 0, fmt.Errorf("checkpoint: header: %w", err)
	}
	if len(text) > maxHeader {
		return nil, 0, fmt.Errorf("checkpoint: the header has %d bytes, at most %d fit", len(text), maxHeader)
	}
	_, total, err := layout(len(text), s.Sections, noLimit)
	if err != nil {
		return nil, 0, fmt.Errorf("checkpoint: %w", err)
	}
	le := binary.LittleEndian
	head := le.AppendUint32([]byte(magic), version)
	head = le.AppendUint32(head, uint32(len(text)))
	head = le.AppendUint64(head, uint64(total))
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, text)
	return append(le.AppendUint32(head, sum), text...), total, nil
}

// Write writes the file's bytes, a section after the other and each in pieces, so
// that no second copy of the state exists.
func (s *Snapshot) Write(w io.Writer) error {
	head, _, err := s.head()
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	piece := make([]byte, pieceBytes)
	for _, section := range s.Sections {
		if err := s.writeSection(w, section, piece); err != nil {
			return err
		}
	}
	return nil
}

func (s *Snapshot) writeSection(w io.Writer, section Section, piece []byte) error {
	sum := uint32(0)
	for at := int64(0); at < section.Bytes(); at += int64(len(piece)) {
		data := piece[:min(int64(len(piece)), section.Bytes()-at)]
		if err := s.Read(section, at, data); err != nil {
			return fmt.Errorf("checkpoint: section %s: %w", section.Name, err)
		}
		sum = crc32.Update(sum, castagnoli, data)
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum))
	return err
}
