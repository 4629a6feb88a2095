package nerfstudio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// expectations says in words what the members hold that are no plain numbers.
var expectations = map[string]string{
	"frames":           "a list of frames",
	"file_path":        "text",
	"mask_path":        "text",
	"ply_file_path":    "text",
	"camera_model":     "text",
	"is_fisheye":       "true or false",
	"train_filenames":  "a list of texts",
	"val_filenames":    "a list of texts",
	"test_filenames":   "a list of texts",
	"transform_matrix": "3 or 4 lists of 4 numbers",
}

// located says what encoding/json did not like, and in which line.
func located(err error, data []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return errors.New("found UTF-16 text, expected UTF-8")
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: not valid JSON: %w", lineAt(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %s", lineAt(data, kind.Offset), mistyped(kind, "an object with \"frames\""))
	}
	return fmt.Errorf("not a camera file: %w", err)
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// mistyped tells a value of the wrong type in words of JSON; whole is what was
// expected where the value is not a member.
func mistyped(err *json.UnmarshalTypeError, whole string) string {
	name := err.Field[strings.LastIndexByte(err.Field, '.')+1:]
	if name == "" {
		return fmt.Sprintf("found %s, expected %s", typeWords(err.Value), whole)
	}
	return fmt.Sprintf("%s: found %s, expected %s", name, typeWords(err.Value), expectations[name])
}

// typeWords names a type of JSON as encoding/json calls it, such as "number 1.5".
func typeWords(name string) string {
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "string":
		return "text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + name
}

// valueWords says what a value is that stands where a number should.
func valueWords(data []byte) string {
	switch data[0] {
	case '"':
		return fmt.Sprintf("text %.40s", data)
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return string(data)
}
