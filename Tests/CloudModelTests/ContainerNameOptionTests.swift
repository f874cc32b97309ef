import CloudModel
import Testing

@Suite("Names of containers that programs could take for something else")
struct ContainerNameOptionTests {
    @Test(
        "a name does not begin with a hyphen, so that no program takes its folder for an option",
        arguments: ["-rf", "-", "--help"])
    func option(_ text: String) {
        #expect(ContainerName(text) == nil)
        #expect(ContainerName(folderName: text) == nil)
        #expect(ContainerName("a\(text)") != nil)
    }
}
