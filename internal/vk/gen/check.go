package main

import (
	"bytes"
	"fmt"
	"strings"
)

// checkProgram returns a C program that does not compile unless constants, handles
// and prototypes are those of the Vulkan headers, and prints a line a structure:
// name, size, and offset of each field.
func checkProgram(a *api) []byte {
	var b bytes.Buffer
	b.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <vulkan/vulkan.h>\n\n")
	for _, c := range append(a.results[:len(a.results):len(a.results)], a.consts...) {
		fmt.Fprintf(&b, "_Static_assert(%s == %d, \"%s\");\n", c.name, c.value, c.name)
	}
	for _, s := range a.structs {
		if s.sType != "" {
			fmt.Fprintf(&b, "_Static_assert(%s == %d, \"%s\");\n", s.sType, s.sValue, s.sType)
		}
	}
	for _, f := range a.funcs {
		fmt.Fprintf(&b, "%s %s(%s);\n", f.result, f.name, prototype(f))
	}
	b.WriteString("\nint main(void) {\n")
	for _, s := range a.structs {
		writeOffsets(&b, s)
	}
	b.WriteString("\treturn 0;\n}\n")
	return b.Bytes()
}

func prototype(f function) string {
	var params []string
	for _, p := range f.params {
		params = append(params, p.ctype+" "+p.name)
	}
	return strings.Join(params, ", ")
}

func writeOffsets(b *bytes.Buffer, s *structure) {
	fmt.Fprintf(b, "\tprintf(\"%s %%zu\", sizeof(%s));\n", s.name, s.name)
	for _, f := range s.fields {
		fmt.Fprintf(b, "\tprintf(\" %s:%%zu\", offsetof(%s, %s));\n", f.name, s.name, f.name)
	}
	b.WriteString("\tprintf(\"\\n\");\n")
}
